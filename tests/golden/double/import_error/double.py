import a_package_that_does_not_exist


def double(x):
    return 2 * x
