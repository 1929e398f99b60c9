/** Splits what comes in pieces into lines. */
export interface Lines {
  /** The lines that are complete now; an unfinished one waits. @throws RangeError when a line is longer than allowed */
  push(chunk: Uint8Array): string[];
}

/** Twice what the API server stores of one object. */
const longestLine = 4 * 1_048_576;

/** Makes a splitter; characters may be cut anywhere between two pieces. */
export const createLines = (limit = longestLine): Lines => {
  const decoder = new TextDecoder();
  let waiting: string[] = [];
  let length = 0;

  return {
    push(chunk) {
      const [head = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
      waiting.push(head);
      length += head.length;
      if (length > limit) throw new RangeError(`a line of over ${limit} characters`);
      const last = rest.pop();
      if (last === undefined) return [];
      const lines = [waiting.join(''), ...rest];
      waiting = [last];
      length = last.length;
      return lines.filter((line) => line.trim() !== '');
    },
  };
};
