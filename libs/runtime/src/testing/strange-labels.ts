const ownLine = /^relay_\w+\{(.*)\} /gm;
const inQuotes = /="(.*?)"/g;
/** Slugs, codes, topics and bounds of histograms. */
const word = /^[a-z\d_.-]*$|^\+Inf$/;

/**
 * Values of labels that are no words of the product's own, from the text of its metrics.
 * @throws Error when there are no labels at all, so that an empty text proves nothing
 */
export const strangeLabels = (text: string): readonly string[] => {
  const labels = [...text.matchAll(ownLine)].map(([, all = '']) => all);
  const values = labels.flatMap((all) => Array.from(all.matchAll(inQuotes), ([, value = '']) => value));
  if (values.length === 0) throw new Error('there are no labels in this text');
  return values.filter((value) => !word.test(value));
};
