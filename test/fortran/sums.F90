! SPDX-License-Identifier: BSD-3-Clause
! The types of sums.
module of_real32
#define NAME 'real32'
#define ELEMENT real(real32)
#define WIDE real(wide_kind)
#define WIDEN(x) real(x, wide_kind)
#define NARROW(x) real(x, real32)
#define PART(k) real(part_of(k), real32)
#define SQUARE(x) (x)**2
#define MAGNITUDE(x) abs(x)
#include "type.inc"
end module
module of_real64
#define NAME 'real64'
#define ELEMENT real(real64)
#define WIDE real(wide_kind)
#define WIDEN(x) real(x, wide_kind)
#define NARROW(x) real(x, real64)
#define PART(k) part_of(k)
#define SQUARE(x) (x)**2
#define MAGNITUDE(x) abs(x)
#include "type.inc"
end module
module of_complex32
#define NAME 'complex32'
#define ELEMENT complex(real32)
#define WIDE complex(wide_kind)
#define WIDEN(x) cmplx(x, kind=wide_kind)
#define NARROW(x) cmplx(x, kind=real32)
#define PART(k) cmplx(part_of(k), part_of(k + 5), real32)
#define SQUARE(x) real(x, wide_kind)**2 + aimag(x)**2
#define MAGNITUDE(x) abs(real(x, wide_kind)) + abs(aimag(x))
#include "type.inc"
end module
module of_complex64
#define NAME 'complex64'
#define ELEMENT complex(real64)
#define WIDE complex(wide_kind)
#define WIDEN(x) cmplx(x, kind=wide_kind)
#define NARROW(x) cmplx(x, kind=real64)
#define PART(k) cmplx(part_of(k), part_of(k + 5), real64)
#define SQUARE(x) real(x, wide_kind)**2 + aimag(x)**2
#define MAGNITUDE(x) abs(real(x, wide_kind)) + abs(aimag(x))
#include "type.inc"
end module
