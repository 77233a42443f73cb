// Beside no file that includes it.
#define SCALE 10
