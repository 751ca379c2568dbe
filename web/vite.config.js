import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../crates/corten-view/assets",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1200,
  },
});
