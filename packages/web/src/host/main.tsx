import { loadConsoleTexts } from "../texts/console/load.ts"
import { showApp } from "../ui/show-app.tsx"
import { HostApp } from "./host-app.tsx"
import "./host.css"

void showApp(<HostApp />, loadConsoleTexts)
