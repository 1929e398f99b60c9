/** Version of the tool, that of its package. */
export const version = '0.1.0';

/** What the tool says of itself in its help. */
export const about = {
  name: 'sync-tool',
  description: 'Prepares a ranger-tracking site for patrol import from a migration bundle, and takes it back.',
  version,
  example:
    'sync-tool --dry-run patrol-datamodel --bundle export --site-endpoint site.example --site-token-file token.txt',
} as const;
