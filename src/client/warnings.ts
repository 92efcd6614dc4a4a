// Reads the `warning` headers of an answer: what a caller should know of a write that was carried out. The server writes
// them in src/http/management/warning-header.ts.

/** One warning: its code, who warns, and the text as JSON. */
const WARNING = /\b299 zerohop ("(?:[^"\\]|\\.)*")/g

/**
 * What the answer to a write warns of, a sentence each; none for an answer without. A proxy may join the headers or cut
 * them: what cannot be read is left out.
 */
export function warningsOf({ headers }: Pick<Response, 'headers'>): string[] {
  const header = headers.get('warning') ?? ''
  return Array.from(header.matchAll(WARNING), ([, text = '""']) => parseText(text)).filter((text) => text !== '')
}

function parseText(json: string): string {
  try {
    return JSON.parse(json)
  } catch {
    return ''
  }
}
