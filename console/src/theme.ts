// The theme: colours, sizes and fonts, as data. vite.config.ts makes a style sheet of it; only Mantine reads it here.
// Every text colour has a contrast of at least 4.5 on the backgrounds it stands on: the browser tests check that.
import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** From text to background, for the dark scheme. */
const dark: MantineColorsTuple = [
  '#e4e5e9',
  '#c6c8cf',
  '#9ea1ab',
  '#7b7e89',
  '#3a3d45',
  '#2a2d33',
  '#1e2025',
  '#151619',
  '#101114',
  '#0b0c0e',
]

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f3f3f5',
  '#ebebee',
  '#dedfe3',
  '#c9cad1',
  '#9a9ca6',
  '#6b6d78',
  '#565862',
  '#3a3b43',
  '#1d1e23',
]

const accent: MantineColorsTuple = [
  '#eef1fd',
  '#dde2fb',
  '#bcc6f7',
  '#9aa9f2',
  '#7d8fec',
  '#6478e2',
  '#4f63d2',
  '#3b4fc4',
  '#3243a6',
  '#283684',
]

export const theme = createTheme({
  colors: { dark, gray, accent },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 7 },
  black: '#1d1e23',
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.125rem', lineHeight: '1.4' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.45' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  respectReducedMotion: true,
  components: {
    Overlay: { defaultProps: { backgroundOpacity: 0.35 } },
    Button: { defaultProps: { size: 'xs' } },
    InputWrapper: { defaultProps: { size: 'xs' } },
    Input: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
  },
})
