// The variables of the theme as a static style sheet, `virtual:theme.css`. Mantine would write them into a style
// element when the page starts, which the Content-Security-Policy of the console forbids.
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import type { Plugin } from 'vite'
import { theme } from './src/theme.ts'

const NAME = 'virtual:theme.css'

/** Colours that nothing here has: 38 variables each, in the first view. */
const UNUSED = /^--mantine-color-(blue|cyan|grape|green|indigo|lime|orange|pink|violet)-/

export function themeVariables(): Plugin {
  return {
    name: 'theme-variables',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? makeStyles() : undefined),
  }
}

/** All variables of the theme, for both colour schemes. */
function makeStyles(): string {
  const { variables, light, dark } = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme))
  return convertCssVariables({ variables: used(variables), light: used(light), dark: used(dark) }, ':root')
}

const used = (variables: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !UNUSED.test(name)))
