"""The C library libkoridor by ctypes: where it is, its structs and functions (library/koridor.h), and its errors."""

from __future__ import annotations

import ctypes
import ctypes.util
import operator
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable

ABI_VERSION = 1
MAX_PLAYERS = 4
NO_ACTION = -1
NOTATIONS = {"standard": 0, "modern": 1}


class KoridorError(Exception):
    """What the library refuses: `status` is the name of its code ("KORIDOR_ILLEGAL_ACTION"), the text its message."""

    def __init__(self, status: str, message: str):
        super().__init__(message)
        self.status = status


class _Sized(ctypes.Structure):
    """A struct whose first member is its size."""

    def __init__(self, **members: Any):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **members)


class GameInfo(_Sized):
    _fields_ = [("struct_size", c_uint32)] + [
        (name, c_int32)
        for name in ("players", "rows", "columns", "num_actions", "max_plies", "num_symmetries", "packed_size")
    ]


class EncodingShape(_Sized):
    _fields_ = [("struct_size", c_uint32)] + [
        (name, c_int32)
        for name in ("version", "planes", "rows", "columns", "scalars", "policy_size", "value_size")
    ]


class OutcomeStruct(_Sized):
    _fields_ = [("struct_size", c_uint32), ("over", c_int32), ("winner", c_int32), ("values", c_float * MAX_PLAYERS)]


class ModelInfo(_Sized):
    _fields_ = [("struct_size", c_uint32)] + [
        (name, c_int32)
        for name in ("encoding_version", "features", "players", "generation", "blocks", "channels", "calibrated")
    ]


class EvaluationStruct(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("max_batch", c_int32),
        ("cache_mebibytes", c_int32),
        ("backend", c_char_p),
        ("precision", c_char_p),
    ]


class SessionOptions(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("threads", c_int32),
        ("memory_mebibytes", c_int32),
        ("notation", c_int32),
        ("seed", c_uint64),
        ("evaluation", POINTER(EvaluationStruct)),
    ]


class AnalysisStruct(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("seat", c_int32),
        ("values", c_float * MAX_PLAYERS),
        ("raw_values", c_float * MAX_PLAYERS),
        ("proven", c_int32),
        ("best", c_int32),
        ("candidates", c_int32),
        ("visits", c_int32),
        ("nodes", c_int32),
        ("evaluations", c_int32),
        ("largest_depth", c_int32),
        ("mean_depth", c_double),
        ("seconds", c_double),
    ]


PROGRESS = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(AnalysisStruct))


class Limits(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("visits", c_int32),
        ("seconds", c_double),
        ("nodes", c_int32),
        ("infinite", c_int32),
        ("lines", c_int32),
        ("ownership", c_int32),
        ("progress", PROGRESS),
        ("user", c_void_p),
        ("report_seconds", c_double),
    ]


class CandidateStruct(ctypes.Structure):
    _fields_ = [
        ("action", c_int32),
        ("visits", c_int32),
        ("policy", c_float),
        ("prior", c_float),
        ("values", c_float * MAX_PLAYERS),
        ("proven", c_int32),
        ("plies", c_int32),
    ]


def int32(number: Any) -> int:
    """The number, which has to fit: ctypes alone cuts off what does not."""
    whole = operator.index(number)
    if not -(2**31) <= whole < 2**31:
        raise OverflowError(f"{whole} is no number of 32 bits")
    return whole


def seed64(number: Any) -> int:
    """The same of a seed, from 0 to 2**64 - 1."""
    whole = operator.index(number)
    if not 0 <= whole < 2**64:
        raise OverflowError(f"{whole} is no seed, which is a number from 0 to 2**64 - 1")
    return whole


class _Int32(c_int32):
    """An argument that int32() checks."""

    @classmethod
    def from_param(cls, number: Any) -> c_int32:
        return c_int32(int32(number))


class _Text(c_char_p):
    """A text of the library, which ends at its first NUL: one with a NUL inside is refused and not cut short."""

    @classmethod
    def from_param(cls, text: Any) -> c_char_p:
        if not isinstance(text, (str, bytes)):
            raise TypeError(f"a text is wanted, not {text!r}")
        data = text.encode() if isinstance(text, str) else text
        if b"\0" in data:
            raise ValueError(f"this text has a NUL in it: {text!r}")
        return c_char_p(data)


# Handles, texts and arrays are plain pointers. The arguments of each function that returns a status; and the results of
# the others.
_P, _S, _I, _Z = c_void_p, _Text, _Int32, c_size_t
_TEXT = [_P, _Z, POINTER(c_size_t)]
_LIST = [_P, _Z, POINTER(c_size_t)]
_STATUS_FUNCTIONS = {
    "koridor_require_abi": [_I],
    "koridor_game_new": [_S, _P],
    "koridor_game_free": [_P],
    "koridor_game_describe": [_P, _P],
    "koridor_game_encoding": [_P, _I, _P],
    "koridor_state_new": [_P, _P],
    "koridor_state_copy": [_P, _P],
    "koridor_state_assign": [_P, _P],
    "koridor_state_reset": [_P],
    "koridor_state_free": [_P],
    "koridor_state_player": [_P, _P],
    "koridor_state_ply": [_P, _P],
    "koridor_state_key": [_P, _P],
    "koridor_state_outcome": [_P, _P],
    "koridor_state_legal": [_P, *_LIST],
    "koridor_state_apply": [_P, _I],
    "koridor_state_action_text": [_P, _I, _I, *_TEXT],
    "koridor_state_read_action": [_P, _S, _I, _P],
    "koridor_state_board": [_P, _I, *_TEXT],
    "koridor_state_pack": [_P, _P, _Z],
    "koridor_state_unpack": [_P, _P, _Z, _P],
    "koridor_states_players": [_P, _Z, _P],
    "koridor_states_legal": [_P, _Z, _P],
    "koridor_states_apply": [_P, _Z, _P],
    "koridor_states_outcomes": [_P, _Z, _P, _P],
    "koridor_states_encode": [_P, _Z, _I, _I, _P, _P],
    "koridor_states_policy_indices": [_P, _Z, _I, _P],
    "koridor_states_play_randomly": [_P, _Z, _I, c_uint64],
    "koridor_model_load": [_S, _P],
    "koridor_model_load_memory": [_P, _Z, _S, _P],
    "koridor_model_save": [_P, _S, _I],
    "koridor_model_free": [_P],
    "koridor_model_describe": [_P, _P],
    "koridor_evaluator_new": [_P, _P, _P, _P],
    "koridor_evaluator_free": [_P],
    "koridor_evaluate": [_P, _Z, _P, _P, _P, _P],
    "koridor_evaluate_states": [_P, _P, _Z, _P, _P],
    "koridor_session_new": [_P, _P, _P, _P],
    "koridor_session_free": [_P],
    "koridor_session_play": [_P, _I],
    "koridor_session_play_text": [_P, _S],
    "koridor_session_go_to": [_P, _I],
    "koridor_session_restart": [_P, _P],
    "koridor_session_state": [_P, _P],
    "koridor_session_moves": [_P, *_LIST, _P],
    "koridor_session_search": [_P, _P, _P],
    "koridor_session_choose": [_P, _S, _P],
    "koridor_session_stop": [_P],
    "koridor_session_clear_stop": [_P],
    "koridor_session_candidates": [_P, _P, _Z, _Z, POINTER(c_size_t)],
    "koridor_session_line": [_P, _Z, *_LIST],
    "koridor_session_ownership": [_P, *_LIST],
    "koridor_session_picture": [_P, *_TEXT],
    "koridor_session_analysis_picture": [_P, *_TEXT],
}
_OTHER_FUNCTIONS = {
    "koridor_version": (c_char_p, []),
    "koridor_abi_version": (c_int32, []),
    "koridor_last_error": (c_char_p, []),
    "koridor_status_name": (c_char_p, [c_int32]),
    "koridor_backends": (c_char_p, []),
    "koridor_check_handles": (c_int32, [c_int32]),
    "koridor_live_objects": (c_size_t, []),
    "koridor_game_count": (c_size_t, []),
    "koridor_game_id": (c_char_p, [_Z]),
    "koridor_game_title": (c_char_p, [_Z]),
    "koridor_game_variant": (c_char_p, [_Z]),
    "koridor_game_name": (c_char_p, [_P]),
    "koridor_game_family": (c_char_p, [_P]),
    "koridor_game_rules": (c_char_p, [_P]),
    "koridor_game_action_order": (c_char_p, [_P]),
    "koridor_model_game": (c_char_p, [_P]),
    "koridor_model_family": (c_char_p, [_P]),
    "koridor_evaluator_describe": (c_char_p, [_P]),
}


def _candidates() -> list[str]:
    """Where the library may be: the file that KORIDOR_LIBRARY names, the build folder of these sources, the system."""
    named = os.environ.get("KORIDOR_LIBRARY")
    if named:
        return [named]
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "libkoridor.so"
    found = ctypes.util.find_library("koridor")
    return [str(built)] * built.exists() + [found or "libkoridor.so.1", "/usr/local/lib/libkoridor.so.1"]


def _load() -> tuple[ctypes.CDLL, str]:
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            reasons.append(str(error))
    raise ImportError(
        "libkoridor is not found: build Koridor, install it (cmake --install) or name the file in KORIDOR_LIBRARY; "
        + "; ".join(reasons)
    )


def failure(status: int) -> KoridorError:
    """The error of the thread's last call, which returned `status`."""
    name = lib.koridor_status_name(status).decode()
    return KoridorError(name, lib.koridor_last_error().decode(errors="replace"))


def _check(status: int, _function: Any, _arguments: Any) -> int:
    if status != 0:
        raise failure(status)
    return status


def _declare(library: ctypes.CDLL, path: str) -> None:
    """Tells ctypes the types of all functions. Throws ImportError for a libkoridor of another version."""
    try:
        for name, arguments in _STATUS_FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes, function.restype, function.errcheck = arguments, c_int32, _check
        for name, (result, arguments) in _OTHER_FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes, function.restype = arguments, result
    except AttributeError as error:
        raise ImportError(f"{path} is an older libkoridor than this package needs: {error}") from error


lib, _path = _load()
_declare(lib, _path)
lib.koridor_require_abi(ABI_VERSION)


def version() -> str:
    """The version of libkoridor."""
    return lib.koridor_version().decode()


def abi_version() -> int:
    """The version of libkoridor's interface."""
    return lib.koridor_abi_version()


def backends() -> list[str]:
    """The backends that libkoridor computes networks with, the default first."""
    return lib.koridor_backends().decode().split()


def library_path() -> str:
    """The file of libkoridor that is in use."""
    return _path


def notation_number(notation: str) -> int:
    if notation not in NOTATIONS:
        raise ValueError(f"the notation is {notation!r}, expected one of {', '.join(NOTATIONS)}")
    return NOTATIONS[notation]


def text_of(write: Callable[..., int]) -> str:
    """What a function writes into a buffer: `write(buffer, size, length)`."""
    length = c_size_t()
    write(None, 0, ctypes.byref(length))
    buffer = ctypes.create_string_buffer(length.value + 1)
    write(buffer, length.value + 1, ctypes.byref(length))
    return buffer.value.decode()


def list_of(write: Callable[..., int], element: Any = c_int32) -> Any:
    """What a function writes into an array: `write(array, capacity, count)`."""
    count = c_size_t()
    write(None, 0, ctypes.byref(count))
    array = (element * count.value)()
    if count.value:
        write(array, count.value, ctypes.byref(count))
    return array


class Handle:
    """An object of the library, freed with this one."""

    _free = ""

    def __init__(self, pointer: int | None):
        self._pointer = pointer

    @property
    def pointer(self) -> int:
        """The handle for calls of `lib`."""
        if self._pointer is None:
            raise KoridorError("KORIDOR_BAD_HANDLE", f"this {type(self).__name__} is closed")
        return self._pointer

    def close(self) -> None:
        """Frees the object now; it cannot be used any more."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            getattr(lib, self._free)(pointer)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None and lib is not None:
            self.close()

    @staticmethod
    def make(function: Callable[..., int], *arguments: Any) -> int:
        """The handle that a function makes and writes through its last argument."""
        made = c_void_p()
        function(*arguments, ctypes.byref(made))
        return made.value  # type: ignore[return-value]


def pointer_to(array: Any) -> int:
    """The address of a numpy array's first element."""
    return array.ctypes.data


