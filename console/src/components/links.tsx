// Links that look like text, and links that look like buttons; their addresses are checked by the types of the router.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type LinkAttributes<P> = P & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P> & { ref?: Ref<HTMLAnchorElement> }

export const TextLink = createLink((props: LinkAttributes<AnchorProps>) => <Anchor inherit {...props} />)

export const ButtonLink = createLink((props: LinkAttributes<ButtonProps>) => (
  <Button component="a" variant="default" {...props} />
))
