import { bad, ok, type Detail, type Read } from './malformed.ts';

const deepest = 64;

/** Whether lists and objects are nested deeper than is taken; without recursion. */
const isTooDeep = (value: unknown): boolean => {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      if (depth >= deepest) return true;
      for (const item of Object.values(each)) next.push(item);
    }
    level = next;
  }
  return false;
};

/** Reads bytes as JSON of bounded depth. */
export const readJson = (bytes: Uint8Array, loc: Detail['loc']): Read<unknown> => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bad(loc, 'This is not UTF-8', 'unicode_invalid');
  }
  try {
    const value = JSON.parse(text) as unknown;
    return isTooDeep(value) ? bad(loc, `This is nested deeper than ${deepest}`, 'too_deep') : ok(value);
  } catch {
    return bad(loc, text === '' ? 'Field required' : 'This is not JSON', text === '' ? 'missing' : 'json_invalid');
  }
};

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Reads base64, with or without padding, in the alphabet of texts or addresses. */
export const readBase64 = (text: string, loc: Detail['loc']): Read<Uint8Array> => {
  const bare = text.replaceAll(/\s/g, '');
  const padding = bare.endsWith('==') ? 2 : Number(bare.endsWith('='));
  if (!base64.test(bare) || (bare.length - padding) % 4 === 1) return bad(loc, 'This is not base64', 'base64_invalid');
  return ok(Buffer.from(bare, 'base64'));
};
