import { RelayError } from '@ranger-relay/errors';

const form = /^[a-z0-9_]+$/;

/** The value of an integration type: trimmed, lower case. @throws RelayError `config_invalid` when it has other signs than the platform takes */
export const typeSlug = (text: string): string => {
  const slug = text.trim().toLowerCase();
  if (form.test(slug)) return slug;
  throw new RelayError('config_invalid', {
    details: {
      variable: 'INTEGRATION_TYPE_SLUG',
      problem: `is "${text}", but the platform takes only letters, digits and "_"`,
    },
  });
};

/** A slug as a title: `x_tracker` is `X Tracker`. */
export const titleOf = (slug: string): string =>
  slug
    .split('_')
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
