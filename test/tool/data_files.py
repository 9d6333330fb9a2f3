# SPDX-License-Identifier: BSD-3-Clause
"""Files as people have them, and their sums by other arithmetic: fractions, and NumPy's own reading.

Prints a line per case: bits of the sums, in the order of the table, then a tabulator and the words of `summand sum`;
or "!" and a part of the error. Without NumPy its files are left out; the others are written byte by byte.
"""
import io
import random
import struct
import sys
import zipfile
from fractions import Fraction

try:
    import numpy as np
except ImportError:
    np = None
random.seed(33)


def bits(value):
    return '0x%016x' % struct.unpack('<Q', struct.pack('<d', value))[0]


def exact(values):
    """The exact sum, rounded once; a sum of integers or of any other rational numbers, too."""
    return bits(float(sum(Fraction(v) for v in values)))


def case(expected, *words):
    print((expected if isinstance(expected, str) else ' '.join(expected)) + '\t' + ' '.join(words))


def put(name, data):
    with open(name, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def own(data):
    """A file of its own for a case."""
    own.count = getattr(own, 'count', 0) + 1
    name = 'own%d.csv' % own.count
    put(name, data)
    return name


def header(descr, shape, order='False', version=1):
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    text += ' ' * (117 - len(text)) + '\n'
    return b'\x93NUMPY' + bytes([version, 0]) + struct.pack('<H', len(text)) + text.encode()


def numbers(n):
    return [random.uniform(-1, 1) * 10.0 ** random.randrange(-20, 20) for _ in range(n)]


# --- Text -----------------------------------------------------------------------------------------------------------
n = 1201
columns = [numbers(n) for _ in range(3)]
a, b, c = columns
sums = [exact(v) for v in columns]
rows = list(zip(a, b, c))


def lines(between, end='\n', head=''):
    return head + ''.join(between.join(repr(v) for v in row) + end for row in rows)


put('one.txt', ''.join('%r\n' % v for v in a))
case(sums[0], 'one.txt')
case(sums[0], '--format', 'text', 'one.txt')
put('one', '\n\n# a comment, 5\n' + ''.join('  %r\r\n%% 7\r\n' % v for v in a))
case(sums[0], 'one')
put('cr.txt', ''.join('%r\r' % v for v in a))
case(sums[0], 'cr.txt')
put('bom.csv', '\ufeff"value (5 %)"\n' + ''.join('"%r"\n' % v for v in a))
case(sums[0], 'bom.csv')
case(sums[0], '--column', '0', 'bom.csv')
put('blank.dat', lines('   ', head='# t  x  y\n'))
put('comma.csv', lines(',', head='time,"x ""1"", raw",y\n'))
put('spaced.csv', lines(' , ', '  \r\n', '#made, by: hand\n\ntime, x, y\n'))
put('semi.csv', lines(';', head='time;x;y\n'))
put('tab.tsv', lines('\t', head='the time\tx\ty\n'))
put('bare.txt', lines(' '))
for name, first in (('blank.dat', 't'), ('spaced.csv', 'time'), ('semi.csv', 'time'), ('comma.csv', 'time')):
    case(sums[0], '--column', first, name)
    case(sums[2], '--column', 'y', name)
for name in ('blank.dat', 'comma.csv', 'spaced.csv', 'semi.csv', 'tab.tsv', 'bare.txt'):
    case(sums[1], '--column', '1', name)
    case(sums, '--columns', name)
    case([exact(row) for row in rows], '--axis', '-1', name)
    case('!has 3 columns', name)
case(exact(a + b + c), '--format', 'text', 'bare.txt')
case(exact(a + b + c), '--format', 'text', 'blank.dat')
case("!no column 'z'; it has 3 columns: t, x, y", '--column', 'z', 'blank.dat')
case("!no column '3'; it has 3 columns without names", '--column', '3', 'bare.txt')
put('row.txt', ' '.join(repr(v) for v in a[:700]))
case(exact(a[:700]), 'row.txt')
put('layout.txt', ''.join(repr(v) + random.choice(['\n', ' ', ', ', ';', '\t', ' # x\n']) for v in a))
case(sums[0], '--format', 'text', 'layout.txt')
put('counted.psllh', '%d\n' % n + '\n'.join(repr(v) for v in a))
case(sums[0], 'counted.psllh')
put('fortran.txt', '1.5D3 -2d-1\n0.25D+00 1.25+101\n.5-100 1.D0\n')
case(exact([1500, Fraction(-2, 10), 0.25, 1.25e101, .5e-100, 1]), '--format', 'text', 'fortran.txt')
put('fortran.csv', 'x\n-2.5D-1\n 1.0D2\n')
case(exact([-0.25, 100]), 'fortran.csv')
put('names.csv', 'city,"count, all",2019\n"Paris, 7e",1,5\n"a ""b""",2.5,6\n')
case('!line 1 has names and numbers; --header yes', '--column', '1', 'names.csv')
case(exact([3.5]), '--header', 'yes', '--column', '1', 'names.csv')
case(exact([11]), '--header', 'yes', '--column', '2019', 'names.csv')
case("!line 2, column city: 'Paris, 7e' is not a number", '--header', 'yes', '--column', 'city', 'names.csv')
case([exact([3.5]), exact([11])], '--header', 'yes', '--columns', 'names.csv')
put('ragged.txt', '1 2\n3 4\n5\n')
case('!line 3 has 1 field, not 2 as the first one; --format text', '--column', '0', 'ragged.txt')
case(exact([15]), '--format', 'text', 'ragged.txt')
put('missing.csv', 'x,y\n1,2\n,3\n')
case('!line 3, column x: the field is empty', '--column', 'x', 'missing.csv')
case(exact([5]), '--column', 'y', 'missing.csv')
put('decimal.csv', 'x;y\n1,5;2\n')
case("!'1,5' is not a number; 'tr , .", '--column', 'x', 'decimal.csv')
put('quote.csv', 'x,y\n1,"2\n3,4\n')
case('!line 2: a quote has no end on its line', '--column', 'x', 'quote.csv')
put('first.txt', '1.5x\n2\n')
case("!line 1: '1.5x' is not a number", 'first.txt')
# Nothing is left out or chosen without a word; what has two meanings is an error that names them.
put('same.csv', 'a,b,a\n1,2,3\n4,5,6\n')
case("!'a' is the name or the number of 2 columns: 0, 2; --column '#0'", '--column', 'a', 'same.csv')
case(exact([9]), '--column', '2', 'same.csv')
case([exact([5]), exact([7]), exact([9])], '--columns', 'same.csv')
put('swapped.csv', '1,0\n5,6\n')
case('!of 2 columns: 0, 1', '--header', 'yes', '--column', '1', 'swapped.csv')
case(exact([6]), '--header', 'yes', '--column', '#1', 'swapped.csv')
for sign in '$', '€', '£', 'US$', 'R$ ', '−', '–', '±', '~', '<', '=', '\u00a0':
    case("!5' is not a number; --header yes", own('"' + sign + '5"\n1\n2\n'))
for value in '(5)', '５', '٥', '5%', '5EUR', '2019-Q1', '1.5+10', 'NA', '–', '#N/A', '#DIV/0!', '#NAME?':
    case("!line 1: '" + value + "' is not a number", own(value + '\n1\n2\n'))
    case('!line 1 has names and what may be values', '--column', '1', own('city,' + value + '\nRome,2\n'))
    case("!line 3: '" + value + "' is not a number", own('x\n1\n' + value + '\n2\n'))
case('!line 1', own(b'\xa35\n1\n'))  # Latin-1
case('!line 1 has names and what may be values', '--column', '1', own('city,EUR 5\nRome,2\n'))
case("!line 1, column 0: 'EUR 5' is not a number", '--columns', own('EUR 5,USD -1.5e3\n1,2\n'))
for name in 'x1', 'T (K)', '°C', 'σ', '%', '#', 'größe', '日付', 'value in $', 'price/$', '_', '№ 1':
    case(exact([3]), own('"%s"\n1\n2\n' % name))
case("!line 3, column a: '#N/A' is not a number", '--column', 'a', own('a,b\n1,2\n#N/A,3\n'))
case("!line 2, column 1: '#DIV/0!' is not a number", '--column', '1', own('1 2\n3 #DIV/0!\n'))
case("!line 2: '#DIV/0!' is not a number", '--format', 'text', own('1 2\n3 #DIV/0!\n'))
case(exact([4]), '--column', '0', own('# N/A values: none\n1 2 # N/A\n#! 5 6\n%N/A\n3 4 #REF\n'))
case("!line 1, column 0: '1.5+10' is not a number", own('1.5+10 2\n'))
case("!line 1: '1.5+10' is not a number", '--format', 'text', own('1.5+10 2\n'))
case('!line 1 has names and numbers', own('x 2\n'))
case("!line 1, column 0: 'x' is not a number", '--header', 'no', own('x 2\n'))
for line, count in ('1,5', 2), ('-1,5 ', 2), ('1,234', 2), ('1,234,567.5', 3):
    case('!its line may be one number or %d; --format csv' % count, own(line + '\n'))
    case(exact(Fraction(v) for v in line.split(',')), '--format', 'csv', own(line + '\n'))
for line in '1,5,2', '1, 5', '1,23,456.5', '1.5,2', '1234,567,890':
    case(exact(Fraction(v.strip()) for v in line.split(',')), own(line + '\n'))
put('r.txt', '"x 1" "y"\n"1" 2\n"3" 4\n')
case([exact([4]), exact([6])], '--columns', 'r.txt')
put('behind.csv', '"5"6,1\n2,3\n')
case('!line 1: more follows a quoted field', '--column', '0', 'behind.csv')
put('pandas.csv', ',a,b\n0,1,2\n1,3,4\n')
case(exact([4]), '--column', 'a', 'pandas.csv')
put('dates.csv', 'd,t,v,x\n2020-01-01,12:30,5kg,5\n2020-01-02,12:31,6kg,6\n')
case(exact([11]), '--columns', 'dates.csv')
put('years.csv', '2019,2020\n1,2\n3,4\n')
case(exact([4]), '--header', 'yes', '--column', '2019', 'years.csv')

put('empty.txt', '')
put('comments.txt', '# 1\n# 2\n')
put('heads.csv', 'x,y\n')
for name in ('empty.txt', 'comments.txt'):
    case('!it holds no numbers', name)
case('!names of columns and no numbers', '--column', 'x', 'heads.csv')
put('wide16.txt', '1\n2\n'.encode('utf-16'))
case('!text in UTF-16', 'wide16.txt')
put('numbers.txt.gz', b'\x1f\x8b\x08\0' + b'x' * 40)
case('!compressed by gzip', 'numbers.txt.gz')
put('text.f64', '1.5\n2.5\n' * 4)
case('!its name ends in .f64, but it holds text; give --format', 'text.f64')
case(exact([16]), '--format', 'csv', 'text.f64')

# --- Arrays, byte by byte -------------------------------------------------------------------------------------------
raw = struct.pack('<%dd' % n, *a)
put('told', header("'<f8'", '(%d,)' % n) + raw)
case(sums[0], 'told')
put('counted', struct.pack('<Q', n) + raw)
case(sums[0], 'counted')
put('raw.f64', raw)
case(sums[0], 'raw.f64')
case('!no columns', '--column', '0', 'raw.f64')
put('raw', raw)
case('!neither its name nor its bytes tell the format', 'raw')
put('raw.dat', raw)  # as tables are named, too
case('!its name is that of a table, but it holds other bytes', 'raw.dat')
large = [random.getrandbits(64) for _ in range(500)]
signed = [v - 2**63 for v in large]
put('u8.npy', header("'<u8'", '(500,)') + struct.pack('<500Q', *large))
put('i8.npy', header("'>i8'", '(20, 25)', 'True') + struct.pack('>500q', *signed))
case(exact(large), 'u8.npy')
case(exact(signed), 'i8.npy')
case(exact([abs(v) for v in signed]), '--op', 'asum', 'i8.npy')
case('!a number that no double can hold', '--op', 'nrm2', 'u8.npy')
case([exact(signed[20 * j:20 * j + 20]) for j in range(25)], '--columns', 'i8.npy')
case([exact(signed[i::20]) for i in range(20)], '--axis', '1', 'i8.npy')
case(exact(signed[60:80]), '--column', '3', 'i8.npy')


def extended(mantissa, exponent, sign):
    """A long double of x86, and its value."""
    value = Fraction(mantissa) * Fraction(2) ** (exponent - 16383 - 63)
    return struct.pack('<QHHI', mantissa, exponent | sign << 15, 0xabcd, 0x12345678), -value if sign else value


many = [extended(random.getrandbits(63) | 1 << 63, 16383 + random.randrange(-60, 60), i & 1) for i in range(333)]
put('f16.npy', header("'<f16'", '(333,)') + b''.join(v[0] for v in many))
put('f12.npy', header("'<f12'", '(333,)') + b''.join(v[0][:12] for v in many))
put('f16b.npy', header("'>f16'", '(333,)') + b''.join(v[0][::-1] for v in many))
if '%s' % sys.platform == 'linux' and struct.calcsize('P') == 8 and __import__('platform').machine() == 'x86_64':
    for name in ('f16.npy', 'f12.npy', 'f16b.npy'):
        case(exact(v[1] for v in many), name)
    put('huge.npy', header("'<f16'", '(1,)') + extended(1 << 63, 32000, 0)[0])
    case('!beyond the range of doubles', 'huge.npy')
put('text.npy', header("'<U4'", '(2,)') + b'\0' * 32)
case("!its values are '<U4'", 'text.npy')


def archive(name, members, method):
    with zipfile.ZipFile(name, 'w', method) as out:
        for member, data in members:
            out.writestr(member, data)


members = [('x.npy', header("'<f8'", '(%d,)' % n) + raw), ('u.npy', header("'<u8'", '(500,)') +
           struct.pack('<500Q', *large)), ('m/y.npy', header("'<f8'", '(3,)') + raw[:24])]
for name, method in (('stored.npz', zipfile.ZIP_STORED), ('deflated.npz', zipfile.ZIP_DEFLATED)):
    archive(name, members, method)
    case('!it holds 3 arrays: x, u, m/y; --array NAME', name)
    case(sums[0], name + ':x')
    case(exact(large), '--array', 'u', name)
    case(exact(a[:3]), name + ':m/y')
    case("!no array 'z'; it holds x, u, m/y", name + ':z')
archive('only', members[:1], zipfile.ZIP_DEFLATED)
case(sums[0], 'only')
archive('sheet.xlsx', [('xl/workbook.xml', 'x' * 100)], zipfile.ZIP_DEFLATED)
case('!an archive (zip) without arrays', 'sheet.xlsx')
archive('lzma.npz', members[:1], zipfile.ZIP_LZMA)
case('!compressed in another way', 'lzma.npz')
data = open('deflated.npz', 'rb').read()
put('cut.npz', data[:-30])
case('!list of files is damaged or cut', 'cut.npz')
at = data.index(b'PK\1\2')
put('crc.npz', data[:at + 16] + bytes([data[at + 16] ^ 1]) + data[at + 17:])
case('!checksum differs', 'crc.npz:x')
case("!no archive, so it has no array 'x'", 'told:x')

# --- What NumPy writes ----------------------------------------------------------------------------------------------
if np is None:
    print('NumPy is missing: its files are left out', file=sys.stderr)
    sys.exit(0)
for kind in ('f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'b1', 'g'):
    for order in '<>':
        if kind == 'g' and np.finfo(np.longdouble).nmant != 63:
            continue
        x = (np.random.RandomState(5).standard_normal((7, 5, 9)) * 100).astype(order + kind)
        name = 'np_%s%s.npy' % (kind, 'le' if order == '<' else 'be')
        np.save(name, x)
        case(exact(Fraction(*v.as_integer_ratio()) if kind == 'g' else v.item() for v in x.ravel()), name)
cube = np.random.RandomState(6).standard_normal((6, 11, 13))


def along(array, axis):
    moved = np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])
    return [exact(float(v) for v in row) for row in moved]


for name, array in (('cube.npy', cube), ('cube_f.npy', np.asfortranarray(cube)),
                    ('tall.npy', cube.reshape(-1, 3)), ('tall_f.npy', np.asfortranarray(cube.reshape(-1, 3))),
                    ('long_f.npy', np.asfortranarray(np.random.RandomState(7).standard_normal((5000, 2))))):
    np.save(name, array)
    case(exact(float(v) for v in array.ravel()), name)
    for axis in range(array.ndim):
        case(along(array, axis), '--axis', str(axis), name)
    case(along(array, -1), '--axis', '-1', name)
    case('!it has no such axis', '--axis', str(array.ndim), name)
    if array.ndim == 2:
        case(along(array, 0), '--columns', name)
        case(along(array, 0)[1], '--column', '1', name)
np.save('point.npy', np.float64(2.5))
case(exact([2.5]), 'point.npy')
np.save('none.npy', np.zeros((0, 3)))
case(exact([]), 'none.npy')
case([exact([])] * 3, '--columns', 'none.npy')
for kind in ('c8', 'c16', '>c16', 'G'):
    if kind == 'G' and np.finfo(np.longdouble).nmant != 63:
        continue
    z = (cube[0] + 1j * cube[1]).astype(kind)
    name = 'z_%s.npy' % kind.replace('>', 'be')
    np.save(name, z)
    re, im = [float(v) for v in z.real.ravel()], [float(v) for v in z.imag.ravel()]
    case([exact(re), exact(im)], name)
    case(exact(abs(v) for v in re + im), '--op', 'asum', name)
    both = np.stack([z.real, z.imag], -1).astype('f8')
    case([exact(float(v) for v in both[:, j, k]) for j in range(z.shape[1]) for k in (0, 1)], '--columns', name)
case('!complex numbers; dot takes real ones', '--op', 'dot', 'z_c16.npy', 'z_c16.npy')
np.savez('np.npz', energy=cube, force=cube[0])
np.savez_compressed('np_c.npz', energy=cube, force=cube[0])
for name in ('np.npz', 'np_c.npz'):
    case(exact(float(v) for v in cube.ravel()), name + ':energy')
    case(along(cube, 1), '--axis', '1', '--array', 'energy', name)
np.savetxt('np.txt', cube[0], header=' '.join('c%d' % j for j in range(13)))
read = np.loadtxt('np.txt')
case(exact(float(v) for v in read[:, 4]), '--column', 'c4', 'np.txt')
case([exact(float(v) for v in read[:, j]) for j in range(13)], '--columns', 'np.txt')
np.savetxt('np.csv', cube[0], delimiter=',')
case([exact(float(v) for v in read[:, j]) for j in range(13)], '--columns', 'np.csv')
