/** Sum of a counter over its labels, as a service reports it. */
export const metric = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = text.split('\n').flatMap((line) => (line.startsWith(name) ? [Number(line.split(' ').at(-1))] : []));
  if (values.length === 0) throw new Error(`${name} is not told by ${url}`);
  return values.reduce((sum, value) => sum + value, 0);
};
