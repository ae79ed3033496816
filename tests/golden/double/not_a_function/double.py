double = 2
