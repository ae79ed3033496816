"""Names and texts in other alphabets: größe, 倍, é. — “quoted”"""
größe = 2
倍 = lambda テンソル: größe * テンソル  # noqa: E731
π, ﬁ = 3.14159, "ligature"


def double(x):
    """Verdoppelt – «zweimal so groß» ∀x∈ℝ: x ↦ 2·x 🙂"""
    return 倍(x)
