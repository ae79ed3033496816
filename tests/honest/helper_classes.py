"""Classes, properties and inheritance around one multiplication."""
from abc import ABC, abstractmethod
from dataclasses import dataclass


class Operation(ABC):
    @abstractmethod
    def __call__(self, x): ...


@dataclass(frozen=True)
class Scale(Operation):
    factor: int = 2

    @property
    def twice(self):
        return self.factor

    def __call__(self, x):
        return self.twice * x


class Doubling(Scale):
    def __init__(self):
        super().__init__(factor=2)


double = Doubling()
