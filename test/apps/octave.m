% SPDX-License-Identifier: BSD-3-Clause
% Called by octave.sh: `make` writes matrices and numbers, `compare` reads what Summand made of them.
1;

function write_raw (name, x)
  f = fopen (name, "w");
  fwrite (f, x, "double");
  fclose (f);
end

% Version 1 of NumPy's format, doubles in Fortran order.
function x = read_npy (name, rows, columns)
  f = fopen (name, "r");
  head = fread (f, 10, "uint8")';
  words = char (fread (f, head(9) + 256 * head(10), "uint8")');
  x = fread (f, Inf, "double");
  fclose (f);
  shape = sprintf ("(%d, %d)", rows, columns);
  if (! isequal (head(1:6), [147, double("NUMPY")]) || isempty (strfind (words, shape)) ...
      || isempty (strfind (words, "'fortran_order': True")) || numel (x) != rows * columns)
    error ("%s: not %s in Fortran order: %s", name, shape, words);
  end
  x = reshape (x, rows, columns);
end

function compare (name, a, b, c, ta, tb, alpha, beta, exact)
  if (ta) a = a'; end
  if (tb) b = b'; end
  got = read_npy (name, rows (a), columns (b));
  wanted = alpha * (a * b) + beta * c;
  % Of each of them: n products and sums, with a rounding each.
  bound = 2 * (columns (a) + 2) * eps * (abs (alpha) * norm (a, "fro") * norm (b, "fro") + abs (beta) * norm (c, "fro"));
  if (exact) bound = 0; end
  off = norm (got - wanted, "fro");
  % Not `off > bound`, which a NaN passes.
  if (! (off <= bound))
    error ("%s: %g off, where %g is the bound", name, off, bound);
  end
  printf ("%-24s %4d x %-4d off by %.1e, bound %.1e\n", name, rows (got), columns (got), off, bound);
end
