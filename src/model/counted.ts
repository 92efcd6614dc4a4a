// Numbers with the right form of a word: "1 revision", "2 revisions". The console, the command line and messages of the
// API use these functions for every count, so that no text says "1 revisions" or "1 revision(s)".

/** The form of a word that fits the number. @param many where it is not the word and an s: `do`, `permissions here` */
export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many)

/** A number and the form of the word that fits it: `1 role`, `1,200 roles`. */
export const counted = (count: number, one: string, many?: string): string =>
  `${count.toLocaleString('en-US')} ${plural(count, one, many)}`
