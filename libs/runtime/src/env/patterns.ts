// Regular expressions as text, for schemas used outside this process: the kind accepts every match. All engines must support them, so they
// have no look-around, and nested repeats stay below a thousand.

/** A pattern, or nothing. */
export const optional = (pattern: string): string => `(?:${pattern})?`;
/** Combines patterns into one alternation that can be repeated. */
export const oneOf = (patterns: readonly string[]): string =>
  patterns.length === 1 ? patterns[0]! : `(?:${patterns.join('|')})`;

const digits = (low: number, high: number): string => (low === high ? String(low) : `[${low}-${high}]`);
const anyDigits = (count: number): string => (count === 0 ? '' : count === 1 ? '[0-9]' : `[0-9]{${count}}`);

/** Matches numbers of one length: those that share the first digit first, then whole tens, hundreds and so on. */
const sameLength = (low: string, high: string): string[] => {
  const [a = '', b = ''] = [low[0], high[0]];
  const rest = low.length - 1;
  if (rest === 0) return [digits(Number(a), Number(b))];
  if (a === b) return sameLength(low.slice(1), high.slice(1)).map((tail) => a + tail);
  const startsWhole = /^0*$/.test(low.slice(1));
  const endsWhole = /^9*$/.test(high.slice(1));
  const [from, to] = [Number(a) + (startsWhole ? 0 : 1), Number(b) - (endsWhole ? 0 : 1)];
  return [
    ...(startsWhole ? [] : sameLength(low.slice(1), '9'.repeat(rest)).map((tail) => a + tail)),
    ...(from <= to ? [digits(from, to) + anyDigits(rest)] : []),
    ...(endsWhole ? [] : sameLength('0'.repeat(rest), high.slice(1)).map((tail) => b + tail)),
  ];
};

const natural = (min: number, max: number): string[] => {
  const lengths = Array.from({ length: String(max).length - String(min).length + 1 }, (_, i) => String(min).length + i);
  return lengths.flatMap((length) => {
    const low = Math.max(min, length === 1 ? 0 : 10 ** (length - 1));
    const high = Math.min(max, 10 ** length - 1);
    return sameLength(String(low), String(high));
  });
};

/** Matches the whole numbers from `min` to `max` without leading zeros; no anchors. */
export const wholeNumbers = (min: number, max: number): string => {
  const below = min < 0 ? [`-${oneOf(natural(Math.max(1, -max), -min))}`] : [];
  return oneOf([...below, ...(max >= 0 ? natural(Math.max(0, min), max) : [])]);
};

const portNumber = wholeNumbers(1, 65_535);
const byte = wholeNumbers(0, 255);

/** An IPv4 address. */
const four = `${byte}(?:\\.${byte}){3}`;

/** An IPv6 address: eight groups, or fewer around one `::`. */
const sixOf = (group: string): string => {
  const shortened = Array.from({ length: 7 }, (_, i) => {
    const before = i === 0 ? '' : `${group}(?::${group}){${i - 1}}`;
    const after = optional(`${group}(?::${group}){0,${6 - i}}`);
    return `${before}::${i === 6 ? optional(group) : after}`;
  });
  return oneOf([`${group}(?::${group}){7}`, ...shortened, `${group}(?::${group}){6}::`]);
};

/** A compact pattern for contexts without counted repeats around it; engines multiply nested counts. */
const six = sixOf('[0-9A-Fa-f]{1,4}');
/** The same for lists of limited length. */
const sixInList = sixOf('[0-9A-Fa-f]'.concat('[0-9A-Fa-f]?'.repeat(3)));

const label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?';
const inLabel = '(?:[A-Za-z0-9_-]*[A-Za-z0-9_])?';

/** The last label of a name: contains a letter or `_` and is not of the form 0x1f, so that it cannot be read as a number. */
const lastLabel = oneOf([
  `[A-Za-z_]${inLabel}`,
  `(?:[1-9][0-9]*|0[0-9]+)-*[A-Za-z_]${inLabel}`,
  `0(?:-+[A-Za-z0-9_]|[A-WYZa-wyz_])${inLabel}`,
]);

/** A host name. */
const name = `(?:${label}\\.)*${lastLabel}\\.?`;

const web = (more: string): string => {
  const characters = `(?:[A-Za-z0-9._~!$&'()*+;=:@${more}-]|%[0-9A-Fa-f]{2})*`;
  const host = oneOf([name, four, `\\[${six}\\]`]);
  return `https?://${host}${optional(`:${portNumber}`)}${optional(`/${characters}`)}${optional(`\\?${characters}`)}`;
};

/** An http(s) address. */
export const httpAddress = `^${web(',/')}$`;

/** Items separated by commas; blanks and empty items are ignored. */
const listOf = (item: string, repeat = '*'): string => `[\\s,]*${item}(?:\\s*,[\\s,]*${item})${repeat}[\\s,]*`;

/** One or several http(s) addresses. */
export const httpAddresses = `^${listOf(web('/'))}$`;

const servers = (hosts: readonly string[], most: number): string =>
  `^${listOf(`${oneOf(hosts)}:${portNumber}`, `{0,${most - 1}}`)}$`;

/** One to `most` servers in the form host:port. */
export const serverList = (most: number): string => servers([name, four, `\\[${sixInList}\\]`], most);

/** The same without IPv6 addresses. */
export const brokerList = (most: number): string => servers([name, four], most);

const inFour = `${four}/${wholeNumbers(0, 32)}`;
const inSix = `${six}/${wholeNumbers(0, 128)}`;

/** Networks in CIDR form, or nothing. */
export const networkList = `^${oneOf(['[\\s,]*', listOf(oneOf([inFour, inSix]))])}$`;

/** One network in CIDR form. */
export const network = `^${oneOf([inFour, inSix])}$`;

/** An IPv4 or IPv6 network in CIDR form, but never the whole address space. */
export const subnet = `^${oneOf([`${four}/${wholeNumbers(1, 32)}`, `${six}/${wholeNumbers(1, 128)}`])}$`;
