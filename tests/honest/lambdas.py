"""No def at all."""
compose = lambda *fs: (lambda x: (fs[0](compose(*fs[1:])(x)) if len(fs) > 1 else fs[0](x)))  # noqa: E731
double = lambda x: compose(lambda y: y + y, lambda y: y.clone())(x)  # noqa: E731
