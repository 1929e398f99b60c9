import { configureGlobal } from 'fast-check';

// Without it an array with `maxLength: 60` has 10 items at most, and a property over steps sees only short stories.
configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
