const openingBrace = 123;

/** Whether a line holds nothing: such lines are passed over. */
export const isBlankLine = (text: string): boolean => text.charCodeAt(0) !== openingBrace && text.trim() === '';
