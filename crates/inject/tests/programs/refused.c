/* Asks each function that it is given by name, with arguments that are all 0, and prints what it answers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Function)(void *, void *, void *, void *, void *, void *, void *, void *);
typedef int (*Entry)(const char *, void **, unsigned, unsigned long long, int *);

int main(int count, char **names) {
    Entry entry = (Entry)dlsym(RTLD_DEFAULT, "cudaGetDriverEntryPointByVersion");
    for (int i = 1; i < count; ++i) {
        if (names[i][2] == 'd' || names[i][0] == '_') {
            Function function = (Function)dlsym(RTLD_DEFAULT, names[i]);
            if (!function) printf("%s is missing\n", names[i]);
            else if (function(0, 0, 0, 0, 0, 0, 0, 0) != 801) printf("%s is served\n", names[i]);
        } else {
            void *address = &address;
            int status = -1, error = entry(names[i], &address, 13000, 0, &status);
            if (error || address || status != 1) printf("%s is found\n", names[i]);
        }
    }
    puts("ok");
    return 0;
}
