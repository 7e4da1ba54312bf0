#include <stdio.h>
int work(void);
int main(void) { return printf("%d\n", work()) != 3; }
