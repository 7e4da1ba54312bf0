#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return puts(dlerror()), 2;
    int (*work)(void) = (int (*)(void))dlsym(library, "work");
    return printf("%d\n", work()) != 3;
}
