// A program that links a library with device code and does not call it.
int main(void) { return 0; }
