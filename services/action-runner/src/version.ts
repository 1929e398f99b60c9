/** Version of the service, that of its package. */
export const version = '0.1.0';
