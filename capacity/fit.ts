/** Fits of straight lines and planes to measurements, each weighted so that relative errors count alike. */

/** `y` is about `a * x[0] + b * x[1]`. */
interface Row {
  readonly x: readonly [number, number]
  readonly y: number
}

/**
 * The least squares of relative errors. A cost is not negative: where the best fit has a negative one, it is 0, and the other is
 * fitted alone.
 */
export const fitPlane = (rows: ReadonlyArray<Row>): readonly [number, number] => {
  const scaled = rows.filter(({ y }) => y > 0).map(({ x: [p, q], y }) => [p / y, q / y] as const)
  const sum = (of: (row: readonly [number, number]) => number): number =>
    scaled.reduce((total, row) => total + of(row), 0)
  const [pp, qq, pq] = [sum(([p]) => p * p), sum(([, q]) => q * q), sum(([p, q]) => p * q)]
  const [p1, q1] = [sum(([p]) => p), sum(([, q]) => q)]
  const determinant = pp * qq - pq * pq
  const a = (p1 * qq - q1 * pq) / determinant
  const b = (q1 * pp - p1 * pq) / determinant
  if (Number.isFinite(a) && Number.isFinite(b) && a >= 0 && b >= 0) return [a, b]
  const [alone, other] = [pp > 0 ? p1 / pp : 0, qq > 0 ? q1 / qq : 0]
  const error = (of: number, at: 0 | 1): number => scaled.reduce((total, row) => total + (of * row[at] - 1) ** 2, 0)
  return error(alone, 0) <= error(other, 1) ? [alone, 0] : [0, other]
}
