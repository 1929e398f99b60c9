import { mask } from '@ranger-relay/runtime';

const shortest = 4;
/** So many characters in a row of a secret are taken for a part of it. */
const part = 12;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A secret as JSON, HTML and a text on one line would show it. */
const formsOf = (secret: string): string[] => {
  const line = secret.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const forms = [secret, line, JSON.stringify(secret).slice(1, -1), JSON.stringify(line).slice(1, -1)];
  const html = [secret, line].map((form) => form.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign));
  return [...new Set([...forms, ...html])].filter((form) => form.length >= shortest);
};

const piecesOf = (form: string): string[] =>
  Array.from({ length: Math.max(0, form.length - part + 1) }, (_, at) => form.slice(at, at + part));

const markAll = (text: string, piece: string, hidden: boolean[]): void => {
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1))
    hidden.fill(true, at, at + piece.length);
};

/**
 * A text of the other side without what we sent it in confidence: each secret, its forms in JSON and HTML, and longer parts of them are
 * masked. Secrets of fewer than four characters are left, they cannot be told from chance.
 */
export const withoutEchoes = (text: string, secrets: readonly string[]): string => {
  const hidden = Array.from({ length: text.length }, () => false);
  for (const form of secrets.flatMap(formsOf)) {
    markAll(text, form, hidden);
    for (const piece of new Set(piecesOf(form))) markAll(text, piece, hidden);
  }
  return Array.from(hidden, (is, at) => (is ? (hidden[at - 1] ? '' : mask) : text.charAt(at))).join('');
};
