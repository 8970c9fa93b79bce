export { default } from 'vitepress/theme'

import './site.css'
