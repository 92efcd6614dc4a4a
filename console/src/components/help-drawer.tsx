// A section of docs/console.md. The HTML is made of that file when the console is built, so it may be shown as it is.
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Drawer.layer.css'
import HELP from 'virtual:help'
import { Drawer } from '@mantine/core'
import { useFocusBack } from './dialog-focus.ts'
import classes from './help-drawer.module.css'

interface HelpDrawerProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

export default function HelpDrawer({ title, isOpen, onClose }: HelpDrawerProps) {
  useFocusBack(isOpen)
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size={400}
      title={title}
      lockScroll={false}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': 'Close help' }}
    >
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own document, made at build */}
      <div className={classes.text} dangerouslySetInnerHTML={{ __html: HELP[title] ?? '' }} />
    </Drawer>
  )
}
