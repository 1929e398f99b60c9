/** A JSON object from outside. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether a value is an object with members. */
export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that says something; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** An id as the site writes it: a text, a number, or a record that has one. */
export const idOf = (value: unknown): string | undefined => {
  if (isRow(value)) return idOf(value['id']);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(value);
};

/** A list that comes whole or as a page; `more` when the page is not the last. Nothing of what is neither. */
export const readList = (payload: unknown): { readonly rows: readonly unknown[]; readonly more: boolean } => {
  if (Array.isArray(payload)) return { rows: payload as unknown[], more: false };
  const results = isRow(payload) ? payload['results'] : undefined;
  if (!isRow(payload) || !Array.isArray(results)) return { rows: [], more: false };
  return { rows: results as unknown[], more: textOf(payload['next']) !== undefined };
};
