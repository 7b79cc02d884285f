"""What every fixture file has in common: reproducible archives, and text without machine paths.

Numpy has no bf16, f8 or int4. Such an array is stored as its raw bits in uint8 or uint16,
and its key carries the type's StableHLO name: `3:bf16`.
"""
import io
import re
import zipfile

import ml_dtypes
import numpy as np

RAW = {
    ml_dtypes.bfloat16: ('bf16', np.uint16),
    ml_dtypes.float8_e3m4: ('f8e3m4', np.uint8),
    ml_dtypes.float8_e4m3: ('f8e4m3', np.uint8),
    ml_dtypes.float8_e4m3b11fnuz: ('f8e4m3b11fnuz', np.uint8),
    ml_dtypes.float8_e4m3fn: ('f8e4m3fn', np.uint8),
    ml_dtypes.float8_e4m3fnuz: ('f8e4m3fnuz', np.uint8),
    ml_dtypes.float8_e5m2: ('f8e5m2', np.uint8),
    ml_dtypes.float8_e5m2fnuz: ('f8e5m2fnuz', np.uint8),
    ml_dtypes.float8_e8m0fnu: ('f8e8m0fnu', np.uint8),
    ml_dtypes.int4: ('i4', np.int8),
    ml_dtypes.uint4: ('ui4', np.uint8),
}
RAW = {np.dtype(k): v for k, v in RAW.items()}


def write_npz(path, arrays):
    """Like `np.savez`, but the same arrays always give the same bytes."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as archive:
        for i, array in enumerate(arrays):
            array, key = np.asarray(array), str(i)
            if array.dtype in RAW:
                name, bits = RAW[array.dtype]
                key = f'{i}:{name}'
                array = array.astype(bits) if name in ('i4', 'ui4') else array.view(bits)
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order='C'), allow_pickle=False)
            entry = zipfile.ZipInfo(key + '.npy', date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, buffer.getvalue())


def write_text(path, text):
    """Write a module's text; a quoted source file keeps its name and loses its folder."""
    text = re.sub(r'"/(?:[^"/]*/)*([^"/]+\.py)"', r'"\1"', text)
    for trace in ('site-packages', '"/', '/tmp/', '/home/'):
        assert trace not in text, f'{path}: a machine path is left in the text ({trace})'
    path.write_text(text.rstrip('\n') + '\n')
