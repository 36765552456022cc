<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" tiledversion="1.11.0" name="manor" tilewidth="16" tileheight="16" tilecount="12" columns="4">
 <!-- Drawn by whoever makes the game; what counts here are the properties. -->
 <image source="manor.png" width="64" height="48"/>
 <tile id="0">
  <properties>
   <property name="terrain" value="grass"/>
  </properties>
 </tile>
 <tile id="1">
  <properties>
   <property name="terrain" value="road"/>
  </properties>
 </tile>
 <tile id="2">
  <properties>
   <property name="terrain" value="floor"/>
  </properties>
 </tile>
 <tile id="3">
  <properties>
   <property name="terrain" value="carpet"/>
  </properties>
 </tile>
 <tile id="4">
  <properties>
   <property name="blocked" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="5">
  <properties>
   <property name="terrain" value="hedge"/>
  </properties>
 </tile>
 <tile id="6">
  <properties>
   <property name="terrain" value="water"/>
  </properties>
 </tile>
 <tile id="7">
  <properties>
   <property name="terrain" value="furniture"/>
  </properties>
 </tile>
 <tile id="8">
  <properties>
   <property name="one_way" value="south"/>
  </properties>
 </tile>
 <tile id="9">
  <properties>
   <property name="terrain" value="below"/>
  </properties>
 </tile>
 <tile id="10">
  <properties>
   <property name="terrain" value="floor"/>
  </properties>
 </tile>
 <tile id="11">
  <properties>
   <property name="terrain" value="floor"/>
  </properties>
 </tile>
</tileset>
