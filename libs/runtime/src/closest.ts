/** Number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other (optimal string alignment). */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped && i > 1 && j > 1 ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The word that was most likely meant: at most two typing errors away, fewer for a short word; undefined when there is none. */
export const closestTo = (word: string, words: Iterable<string>): string | undefined => {
  let closest: string | undefined;
  let least = Math.min(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const errors = distance(word, candidate);
    if (errors >= least) continue;
    least = errors;
    closest = candidate;
  }
  return closest;
};
