import { showApp } from "../ui/show-app.tsx"
import { ScreenApp } from "./screen-app.tsx"
import "./screen.css"

void showApp(<ScreenApp />)
