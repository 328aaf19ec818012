"""Names things that are there.

Identifiers that are made up find nothing. `STAKEBOARD_KNOWN` is a JSON object: for the beginning of a path, names that
its parameter can have. The generated value decides which of them is taken, or that it stays as it is.
"""

import json
import os
import zlib

import schemathesis

KNOWN = json.loads(os.environ["STAKEBOARD_KNOWN"])


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    names = next((names for path, names in KNOWN.items() if context.operation.path.startswith(path)), [])
    for parameter, made_up in (path_parameters or {}).items():
        draw = zlib.crc32(repr(made_up).encode()) % (len(names) + 1)
        if draw < len(names):
            path_parameters[parameter] = names[draw]
    return path_parameters
