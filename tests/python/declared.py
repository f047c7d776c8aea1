"""Whether values are of the types that `unnorm.types` declares for type checkers."""

import typing

import numpy as np
import typing_extensions
from unnorm import types

# What the types mention, and programs that run do without.
vars(types).setdefault("NotRequired", typing_extensions.NotRequired)


def check_declared(value, declared, place):
    """Fails unless a value is of a declared type, as far as that can be seen."""
    if typing_extensions.is_typeddict(declared):
        fields = typing_extensions.get_type_hints(declared, include_extras=True)
        assert {*value} <= {*fields}, place
        for field, of in fields.items():
            required = typing.get_origin(of) is not typing_extensions.NotRequired
            # Arrays that would be empty are left out, and not all samples have all fields.
            may_miss = not required or typing.get_origin(of) in (list, np.ndarray)
            assert field in value or may_miss or declared.__name__.startswith("Any"), (place, field)
            if field in value:
                check_declared(value[field], of if required else of.__args__[0], f"{place}.{field}")
        return
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin is list:
        for item in value:
            check_declared(item, arguments[0], f"{place}[]")
    elif origin is np.ndarray:
        dtype = np.dtype(arguments[1].__args__[0])
        assert isinstance(value, np.ndarray) and value.dtype == dtype, f"{place} is {value!r}"
    elif origin is typing.Literal:
        assert value in arguments, place
    elif declared in (int, float, str, bool):
        assert type(value) is declared, f"{place} is {value!r}"
