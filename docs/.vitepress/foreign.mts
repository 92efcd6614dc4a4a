/** Elements and rules that make a browser load something, without a click. A link (`<a href>`) is not among them. */
const LOADS = [
  /<(?:script|img|iframe|source|video|audio|embed|track)\b[^>]*?\b(?:src|srcset)="((?:https?:)?\/\/[^"]*)"/gi,
  /<link\b[^>]*?\bhref="((?:https?:)?\/\/[^"]*)"/gi,
  /@import\s+(?:url\()?['"]?((?:https?:)?\/\/[^'")\s;]*)/gi,
  /url\(['"]?((?:https?:)?\/\/[^'")]*)/gi,
]

/** The addresses on other hosts that a page or a style sheet would load. */
export function findForeign(text: string): string[] {
  return LOADS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, address = '']) => address))
}
