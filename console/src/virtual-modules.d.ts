// What the plugins of vite.config.ts make: the style sheet of the theme, and the help of the pages.
declare module 'virtual:theme.css'

declare module 'virtual:help-titles' {
  const titles: readonly string[]
  export default titles
}

declare module 'virtual:help' {
  /** HTML by title */
  const sections: Readonly<Record<string, string>>
  export default sections
}
