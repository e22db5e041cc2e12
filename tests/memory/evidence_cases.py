"""Projects and facts about them, and what their files have to say."""

POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.2.1</version>
  </parent>
  <artifactId>myapp</artifactId>
  <properties>
    <java.version>21</java.version>
    <mapstruct.version>1.5.5.Final</mapstruct.version>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.mapstruct</groupId>
      <artifactId>mapstruct</artifactId>
      <version>${mapstruct.version}</version>
    </dependency>
  </dependencies>
</project>
"""

PYPROJECT = """[project]
name = "shop"
requires-python = ">=3.11,<3.14"
dependencies = [
  "fastapi>=0.110,<0.111",
  "SQLAlchemy[asyncio]~=2.0.25",
  "tomli; python_version < '3.11'",
]

[dependency-groups]
dev = ["pytest>=8.4,<9"]

[tool.uv]
package = true
"""

POETRY = """[tool.poetry]
name = "shop"
[tool.poetry.dependencies]
python = "^3.10"
django = "~4.2"
celery = { version = "5.3.6", extras = ["redis"] }
"""

PACKAGE = """{
  "name": "web",
  "packageManager": "pnpm@9.1.0",
  "engines": {"node": ">=20 <21"},
  "scripts": {"dev": "vite --port 3000"},
  "dependencies": {"react": "^18.2.0", "@angular/core": "17.0.0", "left": "file:../left"},
  "devDependencies": {"typescript": "5.4.x", "vite": "latest"}
}
"""

GRADLE = """plugins {
    id 'java'
    id 'org.springframework.boot' version '3.1.5'
}
def mapstructVersion = '1.5.5'
ext.javaLevel = 17
// sourceCompatibility = 8
sourceCompatibility = javaLevel
dependencies {
    implementation "org.mapstruct:mapstruct:${mapstructVersion}"
    implementation 'com.google.guava:guava:33.0.0-jre'
}
"""

GRADLE_KTS = """plugins {
    kotlin("jvm") version "1.9.22"
    id("org.springframework.boot") version springBootVersion
}
val junitVersion = "5.10.1"
java { toolchain { languageVersion.set(JavaLanguageVersion.of(21)) } }
dependencies { testImplementation("org.junit.jupiter:junit-jupiter:$junitVersion") }
"""

GO_MOD = """module example.org/shop

go 1.22

require (
\tgithub.com/gin-gonic/gin v1.9.1
\tgithub.com/jackc/pgx/v5 v5.5.0 // indirect
\texample.org/lib v1.0.0
)

replace example.org/lib => ../lib
"""

CARGO = """[package]
name = "shop"
edition = "2021"
rust-version = "1.75"

[dependencies]
serde = { version = "1.0.190", features = ["derive"] }
tokio = "1.35"
axum = { workspace = true }

[workspace.dependencies]
axum = "0.7"
"""

DOCKERFILE = """ARG JAVA_VERSION=21
FROM maven:3.9-eclipse-temurin-${JAVA_VERSION} AS build
RUN mvn package
FROM eclipse-temurin:${JAVA_VERSION}-jre
COPY --from=build /app.jar .
EXPOSE 8080
"""

COMPOSE = """services:
  api:
    build: .
    ports:
      - "8080:8080"
  db:
    image: mysql:${MYSQL:-8.0.36}
    ports: ["3306:3306"]
  cache:
    image: "redis:7-alpine" # the small one
    ports:
      - target: 6379
        published: "6380"
"""

WORKFLOW = """name: build
on: [push]
env:
  NODE: "20"
jobs:
  test:
    runs-on: ubuntu-22.04
    strategy:
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/setup-java@v4
        with:
          distribution: temurin
          java-version: '21'
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python }}
      - uses: actions/setup-node@v4
        with: # from above
          node-version: ${{ env.NODE }}
      - run: |
          java-version: 8
          echo done
"""

GITLAB = """variables:
  PY: "3.12"
default:
  image: python:$PY-slim
test:
  services:
    - postgres:16
  script:
    - pytest
"""

Case = tuple[dict[str, str], str, str, str]
"""Files, fact, verdict, place."""

ROOT: dict[str, dict[str, str]] = {
    "maven": {"pom.xml": POM},
    "python": {"pyproject.toml": PYPROJECT},
    "poetry": {"pyproject.toml": POETRY},
    "node": {"package.json": PACKAGE},
    "gradle": {"build.gradle": GRADLE},
    "kotlin": {"build.gradle.kts": GRADLE_KTS, "gradle.properties": "springBootVersion=3.3.0\n"},
    "go": {"go.mod": GO_MOD},
    "rust": {"Cargo.toml": CARGO},
    "docker": {"Dockerfile": DOCKERFILE},
    "compose": {"compose.yaml": COMPOSE},
    "github": {".github/workflows/build.yml": WORKFLOW},
    "gitlab": {".gitlab-ci.yml": GITLAB},
    "requirements": {
        "requirements.txt": "# web\nDjango==4.2.7 --hash=sha256:12\nredis>=5\n-r more.txt\n"
        "numpy==1.26 ; python_version < '3.12'\n"
    },
    "tools": {".tool-versions": "java temurin-17.0.2+8\nnodejs 20.1.0 # now\npython 3.12 3.11\n"},
    "pyenv": {".python-version": "3.12.1\n"},
    "nvm": {".nvmrc": "v20\n"},
    "nvm lts": {".nvmrc": "lts/iron\n"},
    "toolchain": {"rust-toolchain.toml": '[toolchain]\nchannel = "1.76.0"\n'},
    "wrapper": {
        "gradle/wrapper/gradle-wrapper.properties": "distributionUrl=https\\://services.gradle.org"
        "/distributions/gradle-8.5-bin.zip\n"
    },
    "spring": {"src/main/resources/application.yml": "server:\n  port: ${PORT:8081}\n"},
    "yarn": {"yarn.lock": "# yarn lockfile v1\n", "package.json": "{}"},
}

FACTS: list[tuple[str, str, str, str]] = [
    # project, fact, verdict, first place
    ("maven", "项目使用 Java 21", "supports", "pom.xml:11"),
    ("maven", "the project uses Java 21", "supports", "pom.xml:11"),
    ("maven", "项目使用 Java 17", "contradicts", "pom.xml:11"),
    ("maven", "项目用 Java 17", "contradicts", "pom.xml:11"),
    ("maven", "本项目使用的 JDK 版本是 17", "contradicts", "pom.xml:11"),
    ("maven", "JDK 可以保持 17", "contradicts", "pom.xml:11"),
    ("maven", "JDK 升到 21 了", "supports", "pom.xml:11"),
    ("maven", "Service builds on Java 17 (Temurin)", "contradicts", "pom.xml:11"),
    ("maven", "The project uses Java 17.", "contradicts", "pom.xml:11"),
    ("maven", "Java17", "contradicts", "pom.xml:11"),
    ("maven", "Boot 3.1 is the platform baseline", "contradicts", "pom.xml:7"),
    ("maven", "Spring Boot 版本是 3.2", "supports", "pom.xml:7"),
    ("maven", "项目使用 MapStruct 1.5", "supports", "pom.xml:18"),
    ("maven", "MapStruct 1.4.2", "contradicts", "pom.xml:18"),
    ("maven", "构建工具是 Gradle", "contradicts", "pom.xml:1"),
    ("maven", "项目用 Maven 构建", "supports", "pom.xml:1"),
    # A newer JDK compiles for 21 as well.
    ("maven", "我们用 JDK 25 编译", "silent", ""),
    ("maven", "项目使用 Java 25", "contradicts", "pom.xml:11"),
    ("maven", "The project was upgraded to Java 25", "contradicts", "pom.xml:11"),
    ("maven", "项目统一用 JDK 17", "contradicts", "pom.xml:11"),
    ("maven", "本项目基于 Java 17 和 Spring Boot 3.1", "contradicts", "pom.xml:11"),
    ("maven", "Build with Maven, not Gradle", "supports", "pom.xml:1"),
    ("maven", "Java 17 → 21", "silent", ""),
    ("maven", "Java 17 is used by the Android client", "silent", ""),
    ("maven", "Use Java 8 style loops", "silent", ""),
    ("maven", "Java 8 日期 API 很旧", "silent", ""),
    ("maven", "我们的 SDK 面向 Java 8 用户", "silent", ""),
    # Plans, wishes, questions, others.
    ("maven", "计划升级到 Java 25", "silent", ""),
    ("maven", "We will move to Java 25", "silent", ""),
    ("maven", "我喜欢用 Java 17", "silent", ""),
    ("maven", "I prefer Java 17", "silent", ""),
    ("maven", "JDK on this laptop is Temurin 17", "silent", ""),
    ("maven", "不要使用 Java 17", "silent", ""),
    ("maven", "The project does not use Java 17", "silent", ""),
    ("maven", "以前项目使用 Java 17", "silent", ""),
    ("maven", "Does the project use Java 17?", "silent", ""),
    ("maven", "安卓客户端使用 Java 8", "silent", ""),
    ("maven", "The Android client uses Java 8", "silent", ""),
    ("maven", "The project uses Java 8 for the Android client", "silent", ""),
    ("maven", "The library supports Java 17", "silent", ""),
    ("maven", "Java 17 or 21", "silent", ""),
    ("maven", "Java 从 17 升到 21 了", "silent", ""),
    ("maven", "Do not bump MapStruct past 1.5", "silent", ""),
    ("maven", "The project runs 17 Java services", "silent", ""),
    ("maven", "Gateway timeout is 3 s", "silent", ""),
    ("maven", "", "silent", ""),
    ("python", "项目使用 Python 3.11", "supports", "pyproject.toml:3"),
    ("python", "the project uses Python 3.10", "contradicts", "pyproject.toml:3"),
    ("python", "the project uses Python 3.12", "silent", ""),
    ("python", "Python version 3.12, managed by uv", "silent", ""),
    ("python", "Python version 3.10, managed by uv", "contradicts", "pyproject.toml:3"),
    ("python", "Python 3.14", "contradicts", "pyproject.toml:3"),
    ("python", "We use FastAPI 0.110", "supports", "pyproject.toml:5"),
    ("python", "我们用的是 FastAPI 0.95", "contradicts", "pyproject.toml:5"),
    ("python", "SQLAlchemy 1.4", "contradicts", "pyproject.toml:6"),
    ("python", "SQLAlchemy 版本 2.0", "supports", "pyproject.toml:6"),
    ("python", "tomli 1.0", "silent", ""),
    ("python", "The project uses pytest", "supports", "pyproject.toml:11"),
    ("python", "用 poetry 管理依赖", "contradicts", "pyproject.toml:13"),
    ("python", "uv manages the dependencies", "supports", "pyproject.toml:13"),
    ("poetry", "项目使用 Django 4.2", "supports", "pyproject.toml:5"),
    ("poetry", "the project uses Django 5.0", "contradicts", "pyproject.toml:5"),
    ("poetry", "Celery 5.3", "supports", "pyproject.toml:6"),
    ("poetry", "Python 3.9", "contradicts", "pyproject.toml:4"),
    ("requirements", "Django 4.2", "supports", "requirements.txt:2"),
    ("requirements", "项目用 Django 3.2", "contradicts", "requirements.txt:2"),
    ("requirements", "redis 4", "contradicts", "requirements.txt:3"),
    ("requirements", "redis 6", "silent", ""),
    ("requirements", "numpy 1.20", "silent", ""),
    ("node", "前端使用 React 18", "supports", "package.json:6"),
    ("node", "the project uses React 17", "contradicts", "package.json:6"),
    ("node", "React 18.1", "contradicts", "package.json:6"),
    ("node", "React 18.3", "silent", ""),
    ("node", "Angular 17", "supports", "package.json:6"),
    ("node", "TypeScript 5.4", "supports", "package.json:7"),
    ("node", "TypeScript 版本是 5.3", "contradicts", "package.json:7"),
    ("node", "vite 4", "silent", ""),
    ("node", "Node.js 20", "supports", "package.json:4"),
    ("node", "We use Node 18", "contradicts", "package.json:4"),
    ("node", "Node 18+", "silent", ""),
    ("node", "package manager is pnpm", "supports", "package.json:3"),
    ("node", "包管理器用 npm", "contradicts", "package.json:3"),
    ("node", "Never use npm in this repo", "silent", ""),
    ("node", "NEVER run: `npm run dev`, `npm run build`", "silent", ""),
    ("node", "Never use npm, yarn", "silent", ""),
    ("node", "`npm install`", "silent", ""),
    ("node", "`npm run dev` starts the mock server", "silent", ""),
    ("node", "pnpm 9", "supports", "package.json:3"),
    ("node", "dev server runs on port 3000", "supports", "package.json:5"),
    ("yarn", "the project uses yarn", "supports", "yarn.lock"),
    ("yarn", "项目使用 pnpm", "contradicts", "yarn.lock"),
    ("gradle", "项目使用 Java 17", "supports", "build.gradle:8"),
    ("gradle", "the project uses Java 8", "contradicts", "build.gradle:8"),
    ("gradle", "Spring Boot 2.7", "contradicts", "build.gradle:3"),
    ("gradle", "MapStruct 1.5", "supports", "build.gradle:10"),
    ("gradle", "guava 32", "contradicts", "build.gradle:11"),
    ("gradle", "build with Gradle", "supports", "build.gradle:1"),
    ("gradle", "项目用 Maven 构建", "contradicts", "build.gradle:1"),
    ("kotlin", "JDK 17", "contradicts", "build.gradle.kts:6"),
    ("kotlin", "Kotlin 版本是 1.9", "supports", "build.gradle.kts:2"),
    ("kotlin", "Kotlin 2.0", "contradicts", "build.gradle.kts:2"),
    ("kotlin", "Spring Boot 3.3", "supports", "build.gradle.kts:3"),
    ("kotlin", "JUnit 4", "contradicts", "build.gradle.kts:7"),
    ("kotlin", "JUnit 5", "supports", "build.gradle.kts:7"),
    ("go", "项目使用 Go 1.22", "supports", "go.mod:3"),
    ("go", "the project uses Go 1.21", "contradicts", "go.mod:3"),
    ("go", "Go 1.23", "silent", ""),
    ("go", "gin 1.9", "supports", "go.mod:6"),
    ("go", "we use gin 1.8", "contradicts", "go.mod:6"),
    ("go", "pgx v5", "supports", "go.mod:7"),
    ("go", "lib 2.0", "silent", ""),
    ("rust", "Rust 1.74", "contradicts", "Cargo.toml:4"),
    ("rust", "最低 Rust 版本是 1.75", "supports", "Cargo.toml:4"),
    ("rust", "Rust edition 2021", "supports", "Cargo.toml:3"),
    ("rust", "Rust edition 2018", "contradicts", "Cargo.toml:3"),
    ("rust", "serde 1.0", "supports", "Cargo.toml:7"),
    ("rust", "tokio 0.2", "contradicts", "Cargo.toml:8"),
    ("rust", "项目使用 axum 0.6", "contradicts", "Cargo.toml:12"),
    ("rust", "axum 0.7", "supports", "Cargo.toml:12"),
    ("toolchain", "Rust 1.76", "supports", "rust-toolchain.toml:2"),
    ("docker", "项目使用 Java 21", "supports", "Dockerfile:2"),
    ("docker", "Dockerfile starts from eclipse-temurin:17-jre", "contradicts", "Dockerfile:2"),
    ("docker", "Maven 3.9", "supports", "Dockerfile:2"),
    ("docker", "端口是 8080", "supports", "Dockerfile:6"),
    ("docker", "the service listens on port 9090", "contradicts", "Dockerfile:6"),
    ("docker", "metrics port is 9090", "silent", ""),
    ("docker", "Do not expose port 9090", "silent", ""),
    ("compose", "服务端口是 8080", "supports", "compose.yaml:5"),
    ("compose", "端口是 9000", "contradicts", "compose.yaml:5"),
    ("compose", "MySQL 8.0", "supports", "compose.yaml:7"),
    ("compose", "项目使用 MySQL 5.7", "contradicts", "compose.yaml:7"),
    ("compose", "Redis 7", "supports", "compose.yaml:10"),
    ("compose", "MySQL 端口是 3306", "supports", "compose.yaml:8"),
    ("compose", "MySQL 端口是 3307", "contradicts", "compose.yaml:8"),
    ("compose", "redis port is 6380", "supports", "compose.yaml:12"),
    ("compose", "Kafka 端口是 9092", "silent", ""),
    ("spring", "the server runs on port 8081", "supports", "src/main/resources/application.yml:2"),
    ("spring", "服务运行在 8080 端口", "contradicts", "src/main/resources/application.yml:2"),
    ("spring", "app is at http://localhost:8081/health", "supports", ""),
    ("github", "CI 使用 Java 21", "supports", ".github/workflows/build.yml:15"),
    ("github", "CI uses Java 8", "contradicts", ".github/workflows/build.yml:15"),
    ("github", "Python 3.12", "supports", ".github/workflows/build.yml:10"),
    ("github", "Python 3.9", "silent", ""),
    ("github", "Node 20", "supports", ".github/workflows/build.yml:4"),
    ("github", "CI 用 Node 18", "contradicts", ".github/workflows/build.yml:4"),
    ("gitlab", "Python 3.12", "supports", ".gitlab-ci.yml:4"),
    ("gitlab", "项目使用 Python 3.10", "contradicts", ".gitlab-ci.yml:4"),
    ("tools", "Java 17", "supports", ".tool-versions:1"),
    ("tools", "项目使用 Java 21", "contradicts", ".tool-versions:1"),
    ("tools", "Node.js v20.1", "supports", ".tool-versions:2"),
    ("tools", "Python 3.11", "supports", ".tool-versions:3"),
    ("tools", "Python 3.9", "silent", ""),
    ("pyenv", "markers: py12 (only runs on 3.12+)", "silent", ""),
    ("pyenv", "Python 版本是 3.12", "supports", ".python-version:1"),
    ("pyenv", "the project uses Python 3.11", "contradicts", ".python-version:1"),
    ("pyenv", "Python 3.12.4", "contradicts", ".python-version:1"),
    ("nvm", "Node 20", "supports", ".nvmrc:1"),
    ("nvm", "项目使用 Node 18", "contradicts", ".nvmrc:1"),
    ("nvm", "Node 20.11", "silent", ""),
    ("nvm lts", "Node 18", "silent", ""),
    ("wrapper", "Gradle 8.5", "supports", "gradle/wrapper/gradle-wrapper.properties:1"),
    ("wrapper", "Gradle 7", "contradicts", "gradle/wrapper/gradle-wrapper.properties:1"),
]
