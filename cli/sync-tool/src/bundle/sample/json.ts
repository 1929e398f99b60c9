/** A record as it is written: members that are undefined are left out. */
export type SampleRecord = Readonly<Record<string, unknown>>;

/** The members of a manifest but `files` and `languages`. */
export type ManifestHead = Readonly<Record<string, unknown>>;
