const wrapper = 'http2-wrapper';
const stub = `\0${wrapper}`;

/** What a library finds where it looks for HTTP/2: enough to load, and a plain error if it ever asked for a connection. */
const code = `export default {
  auto() {
    throw new Error('this program speaks HTTP/1.1 alone');
  },
};`;

/**
 * Leaves HTTP/2 out: no request of ours asks for it, but the client's wrapper makes a TLS socket as soon as it is loaded, which costs every
 * program more of its start than anything else in there.
 * @returns {import('rolldown').Plugin}
 */
export const http1Only = () => ({
  name: 'http1-only',
  resolveId: (id) => (id === wrapper ? stub : null),
  load: (id) => (id === stub ? code : null),
});
