// esbuild makes app.css of what is imported here.
declare module "*.css";
