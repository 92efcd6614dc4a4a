/** The anchor that a heading gets on the site, and in the view of Markdown files at GitHub: links work in both. */
export function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
