import { nat } from 'fast-check';

/** Any character of Unicode, as the unit of strings. The unit `binary` of fast-check is the same, but first fills a map of a million characters. */
export const anyCharacter = nat({ max: 0x10_ffff }).map((code) => String.fromCodePoint(code).toWellFormed());
