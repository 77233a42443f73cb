"""Checks that are counted: what a program of this folder compares, and what of it is wrong."""

wrong = []
count = 0


def check(name, is_right):
    global count
    count += 1
    if not is_right:
        wrong.append(name)


def told(more=""):
    """Prints what is wrong and how many were compared; the exit code of the program."""
    for name in wrong:
        print("wrong:", name)
    print(f"{count} checks, {len(wrong)} wrong{more}")
    return 1 if wrong else 0
