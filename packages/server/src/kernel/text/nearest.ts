/** The known name that was probably meant: at most `most` edits away, and fewer than half its letters. */
export function nearestOf(name: string, names: readonly string[], most = 2): string | undefined {
  const [nearest] = names
    .map((known) => ({ known, edits: editsBetween(name.toLowerCase(), known.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  return nearest !== undefined && nearest.edits <= most && nearest.edits < nearest.known.length / 2
    ? nearest.known
    : undefined
}

/** How many letters must be added, removed, replaced or swapped with the next to turn one text into the other. */
function editsBetween(from: string, to: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row?.[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
          ? (before?.[j - 2] ?? 0) + 1
          : replaced
      next.push(Math.min(replaced, swapped, (row?.[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row?.[to.length] ?? 0
}
