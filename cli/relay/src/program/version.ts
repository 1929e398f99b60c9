/** Description of the tool in its help. */
export const about = {
  name: 'ranger-relay',
  description: 'Forwards events of satellite devices to a data platform without losing one.',
  example: 'ranger-relay up',
} as const;

/** Version of the tool, that of its package. */
export const version = '0.1.0';
