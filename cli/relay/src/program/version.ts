/** Version of the tool, that of its package. */
export const version = '0.1.0';
