// Style sheets, which have no types of their own: that of the theme (theme-plugin.ts), and those of Mantine.
declare module 'virtual:theme.css'
