// Runs a fixture that was built as a shared library N times in one process, loaded anew each time, so that its
// variables begin as they do in a process of its own. A line behind each run tells its status.
//
//     repeat N LIBRARY [ARGUMENT ...]
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int cudaDeviceSynchronize(void);

int main(int argc, char **argv)
{
    if (argc < 3) return 125;
    for (int n = atoi(argv[1]); n > 0; n--) {
        void *library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 125;
        }
        int (*fixture)(int, char **) = (int (*)(int, char **))dlsym(library, "main");
        if (!fixture) return 125;
        int status = fixture(argc - 2, argv + 2);
        cudaDeviceSynchronize();
        printf("\n@@ ended with %d\n", status);
        fflush(stdout);
        dlclose(library);
    }
    return 0;
}
